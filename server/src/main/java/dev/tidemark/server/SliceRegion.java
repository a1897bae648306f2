package dev.tidemark.server;

import io.netty.channel.DefaultFileRegion;

/**
 * A file slice on its way through sendfile. Netty's own region closes the file when it is done;
 * this one only lets go of the slice. Its native transport takes no other class than a subclass of
 * its own for sendfile.
 */
final class SliceRegion extends DefaultFileRegion {
  private final ChannelSlice slice;

  SliceRegion(ChannelSlice slice) {
    super(slice.file().channel(), slice.position(), slice.length());
    this.slice = slice;
  }

  @Override
  protected void deallocate() {
    slice.release();
  }
}

using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Transports;

/// <summary>The descriptor of a socket that only raw calls know.</summary>
internal sealed class SocketHandle : SafeHandleMinusOneIsInvalid
{
    public SocketHandle(int descriptor)
        : base(ownsHandle: true) => SetHandle(descriptor);

    /// <summary>For those who know that it is not closed meanwhile.</summary>
    public int Descriptor => (int)handle;

    protected override bool ReleaseHandle() => LibC.CloseDescriptor((int)handle) == 0;
}

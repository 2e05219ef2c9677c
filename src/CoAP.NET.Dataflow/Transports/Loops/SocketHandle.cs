using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Transports.Loops;

/// <summary>The descriptor of a socket that is used with raw calls only.</summary>
internal sealed class SocketHandle : SafeHandleMinusOneIsInvalid
{
    public SocketHandle(int descriptor)
        : base(ownsHandle: true) => SetHandle(descriptor);

    /// <summary>For callers that know that it stays open.</summary>
    public int Descriptor => (int)handle;

    protected override bool ReleaseHandle() => LibC.CloseDescriptor((int)handle) == 0;
}

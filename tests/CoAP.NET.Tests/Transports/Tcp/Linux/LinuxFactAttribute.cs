using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>A test that runs where the receive loops of Linux do.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute()
    {
        if (!TransportLoops.IsSupported)
        {
            Skip = "needs Linux on x64 or arm64";
        }
    }
}

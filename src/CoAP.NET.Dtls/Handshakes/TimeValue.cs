using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>C's timeval.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct TimeValue
{
    public CLong Seconds;
    public CLong Microseconds;

    public readonly TimeSpan ToTimeSpan() => TimeSpan.FromSeconds(Seconds.Value) + TimeSpan.FromMicroseconds((int)Microseconds.Value);
}

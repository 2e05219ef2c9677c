using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Sets the retransmission times of flights. OpenSSL uses the system clock for them.</summary>
internal static class HandshakeTimer
{
    // RFC 6347 section 4.2.4.1
    private const uint Longest = 60_000_000;

    /// <summary>Computes the next timeout; OpenSSL calls it.</summary>
    /// <param name="ssl">Its object.</param>
    /// <param name="before">The previous timeout, in microseconds; 0 at first.</param>
    /// <returns>The next timeout.</returns>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    public static uint Next(nint ssl, uint before) =>
        before > 0 ? Math.Min(2 * before, Longest)
            : Handshake.Of(ssl) is { } handshake ? (uint)handshake.Settings.RetransmitTimeout.TotalMicroseconds : 1_000_000;
}

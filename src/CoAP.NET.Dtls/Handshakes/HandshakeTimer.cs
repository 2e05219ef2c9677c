using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>When a flight is sent again. OpenSSL reads the clock of the system for it.</summary>
internal static class HandshakeTimer
{
    // RFC 6347 section 4.2.4.1
    private const uint Longest = 60_000_000;

    /// <summary>Called by OpenSSL.</summary>
    /// <param name="ssl">Its object.</param>
    /// <param name="before">The time before, in microseconds; 0 at first.</param>
    /// <returns>The next one.</returns>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    public static uint Next(nint ssl, uint before) =>
        before > 0 ? Math.Min(2 * before, Longest)
            : Handshake.Of(ssl) is { } handshake ? (uint)handshake.Settings.RetransmitTimeout.TotalMicroseconds : 1_000_000;
}

using System.Buffers.Binary;
using CoAP.NET.Testing;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// Asks a server for a sign of life: an Empty Confirmable message, which must be rejected (RFC 7252 section 4.3, "CoAP ping").
/// </summary>
internal static class CoapPing
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(100);

    /// <summary>Pings until the server answers.</summary>
    /// <param name="server">Where it will listen.</param>
    /// <param name="attempts">How many pings, each with a tenth of a second for the answer.</param>
    /// <param name="isOver">Asked between the pings: whether there is no sense in going on.</param>
    /// <returns>Whether it answered.</returns>
    public static async Task<bool> WaitAsync(IPEndPoint server, int attempts = 1200, Func<bool>? isOver = null)
    {
        // Not connected: then a port that nobody has yet is silence, and the receive itself is the pause between attempts.
        using UdpScriptedPeer socket = new(server.Address.AddressFamily == System.Net.Sockets.AddressFamily.InterNetwork
            ? IPAddress.Loopback
            : IPAddress.IPv6Loopback);
        socket.HangLimit = s_patience;
        byte[] ping = [0x40, 0, 0, 0];
        for (int attempt = 0; attempt < attempts && isOver?.Invoke() != true; attempt++)
        {
            BinaryPrimitives.WriteUInt16BigEndian(ping.AsSpan(2), (ushort)attempt);
            socket.SendTo(CoapAddress.FromIPEndPoint(server), ping);
            try
            {
                ReceivedDatagram answer = await socket.ReceiveAsync();
                if (answer.Type == CoapMessageType.Reset && answer.MessageId <= attempt && answer.Data.Length == 4)
                {
                    return true;
                }
            }
            catch (ScriptExpectationException)
            {
                // No answer yet.
            }
        }

        return false;
    }
}

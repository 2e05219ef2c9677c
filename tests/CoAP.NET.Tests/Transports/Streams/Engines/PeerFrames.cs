using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>Reads whole frames off a socket.</summary>
internal static class PeerFrames
{
    /// <summary>The next frame as hexadecimal digits (RFC 8323 section 3.2).</summary>
    public static async Task<string> ReadFrameAsync(this AsyncPeer peer)
    {
        string first = await peer.ReceiveHexAsync(2);
        int token = Convert.ToInt32(first[1..2], 16);
        int length = Convert.ToInt32(first[..1], 16);
        (int bytes, int more) = length switch { 13 => (1, 13), 14 => (2, 269), 15 => (4, 65_805), _ => (0, length) };
        if (bytes > 0)
        {
            // One byte of the length came instead of the code.
            first += await peer.ReceiveHexAsync(bytes);
            more += Convert.ToInt32(first.Substring(2, 2 * bytes), 16);
        }

        return more + token == 0 ? first : first + await peer.ReceiveHexAsync(more + token);
    }

    /// <summary>The next frame as a message.</summary>
    public static async Task<CoapMessage> ReadMessageAsync(this AsyncPeer peer) => Frames.Read(await peer.ReadFrameAsync());

    /// <summary>All frames until the end, without what a reset left over.</summary>
    public static async Task<CoapMessage> ReadAbortAsync(this AsyncPeer peer)
    {
        while (true)
        {
            CoapMessage message = await peer.ReadMessageAsync();
            if (message.Code == CoapCode.Abort)
            {
                return message;
            }
        }
    }

    /// <summary>Waits until the other side has ended the connection, in whatever way.</summary>
    public static async Task ReadToAnyEndAsync(this AsyncPeer peer)
    {
        try
        {
            await peer.ReceiveToEndAsync();
        }
        catch (IOException)
        {
            // By a reset.
        }
    }
}

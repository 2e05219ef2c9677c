using System.Net.Sockets;

namespace CoAP.NET.Speed.Engines;

/// <summary>What a client sends on a connection of its own, and how many frames it waits for.</summary>
/// <param name="Name">What it is about.</param>
/// <param name="Pieces">What it sends; each piece by a call of its own.</param>
/// <param name="Frames">How many frames answer it, the server's CSM among them; -1: up to the end of the connection.</param>
/// <param name="IsOrdered">Whether their order matters.</param>
/// <param name="Ends">Whether the client ends its side after it.</param>
internal sealed record Conversation(string Name, byte[][] Pieces, int Frames, bool IsOrdered = true, bool Ends = false)
{
    /// <summary>The last word of an answer of which something is missing.</summary>
    public const string Missing = "missing";

    // In milliseconds. Nothing but an answer that never comes may take so long, however busy the machine is.
    private const int Patience = 120_000;

    /// <summary>Does it.</summary>
    /// <returns>The frames that came, as hexadecimal digits; at the end <c>end</c> when the server closed, or <see cref="Missing"/> when
    /// too little came in time.</returns>
    public string Hold(IPEndPoint server)
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            ReceiveTimeout = Patience,
            SendTimeout = Patience,
            NoDelay = true
        };
        List<string> frames = [];
        string end = "";
        try
        {
            socket.Connect(server);
            foreach (byte[] piece in Pieces)
            {
                socket.Send(piece);
            }

            if (Ends)
            {
                socket.Shutdown(SocketShutdown.Send);
            }

            end = Read(socket, frames);
        }
        catch (SocketException exception)
        {
            end = exception.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock
                ? Missing
                : exception.SocketErrorCode.ToString();
        }

        if (!IsOrdered)
        {
            frames.Sort(StringComparer.Ordinal);
        }

        return string.Join(' ', [.. frames, end]).Trim();
    }

    // The number of a notification is the time at which it was made.
    private static ReadOnlySpan<byte> WithoutNumber(ReadOnlySpan<byte> frame)
    {
        CoapMessage message = CoapStreamSerializer.Default.Deserialize(frame);
        if (message.Options.Get<ObserveOption>() is null)
        {
            return frame;
        }

        message.Options.Set(new ObserveOption(1));
        return CoapStreamSerializer.Default.Serialize(message);
    }

    private string Read(Socket socket, List<string> frames)
    {
        byte[] buffer = new byte[1 << 20];
        int length = 0;
        while (Frames < 0 || frames.Count < Frames)
        {
            int count = socket.Receive(buffer, length, buffer.Length - length, SocketFlags.None);
            if (count == 0)
            {
                return Frames < 0 ? "end" : Missing;
            }

            length += count;
            int start = 0;
            while (Bench.Frames.Measure(buffer.AsSpan(start, length - start), out _, out _) is > 0 and int frame && frame <= length - start)
            {
                frames.Add(Convert.ToHexStringLower(WithoutNumber(buffer.AsSpan(start, frame))));
                start += frame;
            }

            buffer.AsSpan(start, length - start).CopyTo(buffer);
            length -= start;
        }

        return "";
    }
}

using System.Buffers.Binary;
using System.Net.Sockets;

namespace CoAP.NET.Survival.Balancing;

/// <summary>
/// Receives messages under OSCORE and reads their sequence numbers from the wire: no number may be used twice under one key. It answers
/// with Reset messages (RFC 7252 section 4.3).
/// </summary>
public sealed class ProtectedMessages : IAsyncDisposable
{
    private const int HeaderLength = 4;
    private const byte PayloadMarker = 0xff;
    private const int OscoreOption = 9;
    private const int PartialIvMask = 0b111;
    private const byte ResetType = 0x70;

    private readonly UdpClient _socket = new(new IPEndPoint(IPAddress.Loopback, 0));
    private readonly CancellationTokenSource _stop = new();
    private readonly HashSet<string> _seen = [];
    private readonly Task _receiving;
    private int _count;
    private int _twice;

    public ProtectedMessages() => _receiving = ReceiveAsync();

    public int Port => ((IPEndPoint)_socket.Client.LocalEndPoint!).Port;

    /// <summary>How many messages there were.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>How many of them had a number that another message was sent with under the same key.</summary>
    public int NumbersTwice => Volatile.Read(ref _twice);

    /// <summary>Notes a message.</summary>
    /// <param name="message">The message.</param>
    public void Read(ReadOnlySpan<byte> message)
    {
        // The option has the Partial IV and the kid, that is the number and the key.
        if (FindOscore(message) is { IsEmpty: false } option && (option[0] & PartialIvMask) != 0)
        {
            Interlocked.Increment(ref _count);
            if (!_seen.Add(Convert.ToHexString(option)))
            {
                Interlocked.Increment(ref _twice);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _receiving;
        _socket.Dispose();
        _stop.Dispose();
    }

    private static ReadOnlySpan<byte> FindOscore(ReadOnlySpan<byte> message)
    {
        int number = 0;
        for (int at = HeaderLength + (message[0] & 0xf); at < message.Length && message[at] != PayloadMarker;)
        {
            byte first = message[at++];
            number += Extended(message, first >> 4, ref at);
            int length = Extended(message, first & 0xf, ref at);
            if (number == OscoreOption)
            {
                return message.Slice(at, length);
            }

            at += length;
        }

        return default;
    }

    // RFC 7252 section 3.1.
    private static int Extended(ReadOnlySpan<byte> message, int nibble, ref int at)
    {
        switch (nibble)
        {
            case 13:
                return message[at++] + 13;
            case 14:
                at += 2;
                return BinaryPrimitives.ReadUInt16BigEndian(message[(at - 2)..]) + 269;
            default:
                return nibble;
        }
    }

    private async Task ReceiveAsync()
    {
        try
        {
            while (true)
            {
                UdpReceiveResult received = await _socket.ReceiveAsync(_stop.Token);
                Read(received.Buffer);
                byte[] reset = [ResetType, 0, received.Buffer[2], received.Buffer[3]];
                await _socket.SendAsync(reset, received.RemoteEndPoint, _stop.Token);
            }
        }
        catch (OperationCanceledException)
        {
            // The end.
        }
    }
}

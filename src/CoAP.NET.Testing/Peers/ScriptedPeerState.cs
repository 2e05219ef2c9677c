using CoAP.NET.Diagnostics;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Testing.Peers;

/// <summary>The common state of scripted peers: captures of patterns, and the bytes of usual answers.</summary>
internal sealed class ScriptedPeerState
{
    private readonly Dictionary<string, byte[]> _remembered = [];
    private readonly List<ReceivedDatagram> _received = [];

    public IReadOnlyDictionary<string, byte[]> Remembered => _remembered;

    public IReadOnlyList<ReceivedDatagram> Received
    {
        get
        {
            lock (_received)
            {
                return [.. _received];
            }
        }
    }

    public static byte[] Acknowledgement(MessageHead head) => [0x60, 0, (byte)(head.MessageId >> 8), (byte)head.MessageId];

    public static byte[] Reset(MessageHead head) => [0x70, 0, (byte)(head.MessageId >> 8), (byte)head.MessageId];

    public byte[] Response(CoapMessageType type, CoapCode code, ushort messageId, MessageHead request, string rest)
    {
        ReadOnlySpan<byte> token = request.Token.Span;
        if (token.Length > CoapToken.MaxLength)
        {
            throw new ArgumentException("The request has a token of more than 8 bytes. Write the bytes of the answer yourself.",
                nameof(request));
        }

        return [(byte)(0x40 | ((int)type << 4) | token.Length), code.Value, (byte)(messageId >> 8), (byte)messageId, .. token,
            .. Bytes(rest)];
    }

    public byte[] Bytes(string hex) => DatagramBytePattern.Parse(hex).ToBytes(_remembered);

    public void Log(ReceivedDatagram datagram)
    {
        lock (_received)
        {
            _received.Add(datagram);
        }
    }

    public void Remember(string name, ReadOnlySpan<byte> bytes) => _remembered[name] = bytes.ToArray();

    public ReceivedDatagram Check(DatagramBytePattern pattern, ReceivedDatagram? datagram, Func<string> trace)
    {
        if (datagram is null)
        {
            throw new ScriptExpectationException($"Expected: {pattern}{Environment.NewLine}Received: nothing{trace()}");
        }

        BytePatternMatch match = pattern.Match(datagram.Data.Span, _remembered);
        if (!match.IsMatch)
        {
            throw new ScriptExpectationException(
                $"Expected: {pattern}{Environment.NewLine}Received: {datagram}{Environment.NewLine}At "
                    + $"byte {match.Offset}: {match.Reason}{trace()}");
        }

        foreach ((string name, byte[] bytes) in match.Captures)
        {
            _remembered[name] = bytes;
        }

        datagram.Captures = match.Captures;
        return datagram;
    }
}

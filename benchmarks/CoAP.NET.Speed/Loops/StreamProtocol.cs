using System.Buffers.Text;
using System.Net.Security;

namespace CoAP.NET.Speed.Loops;

/// <summary>What a part of a stream is.</summary>
internal enum StreamPart
{
    /// <summary>The expected answer.</summary>
    Answer,

    /// <summary>Another one.</summary>
    WrongAnswer,

    /// <summary>What a server says first.</summary>
    Greeting,

    /// <summary>A Ping, to be answered.</summary>
    Ping,

    /// <summary>Of no interest.</summary>
    Other,
}

/// <summary>What <see cref="StreamLoop"/> speaks.</summary>
internal abstract class StreamProtocol
{
    /// <summary>What a client says first.</summary>
    public abstract byte[] Opening { get; }

    /// <summary>What it is called in the handshake of TLS (ALPN).</summary>
    public abstract SslApplicationProtocol Alpn { get; }

    /// <summary>Whether the server says something first.</summary>
    public abstract bool HasGreeting { get; }

    /// <summary>Writes a request.</summary>
    /// <param name="to">Where to.</param>
    /// <param name="slot">Its number among those under way on its connection.</param>
    /// <returns>Its length.</returns>
    public abstract int Write(Span<byte> to, int slot);

    /// <summary>Takes the first part of what came.</summary>
    /// <returns>Its length; 0 when it is not whole.</returns>
    public abstract int Take(ReadOnlySpan<byte> bytes, out StreamPart part, out int slot);
}

/// <summary>CoAP over TCP (RFC 8323).</summary>
internal sealed class CoapStreamProtocol : StreamProtocol
{
    private const int Signalling = 0xe0;
    private const int Csm = 0xe1;
    private const int Ping = 0xe2;
    private const int TokenSize = 2;
    private const ushort AnyToken = 0xffff;

    private readonly byte[] _request;
    private readonly byte[] _ending;

    public CoapStreamProtocol(string path, string payload)
    {
        _request = Frames.Request(CoapCode.Get, path, token: AnyToken);
        _ending = [0xff, .. Encoding.UTF8.GetBytes(payload)];
    }

    public override byte[] Opening => Frames.Csm;

    public override SslApplicationProtocol Alpn { get; } = new("coap");

    public override bool HasGreeting => true;

    public override int Write(Span<byte> to, int slot)
    {
        // Shorter than 13 bytes after the token: the head has two bytes.
        _request.CopyTo(to);
        (to[2], to[3]) = ((byte)(slot >> 8), (byte)slot);
        return _request.Length;
    }

    public override int Take(ReadOnlySpan<byte> bytes, out StreamPart part, out int slot)
    {
        (part, slot) = (StreamPart.Other, -1);
        int length = Frames.Measure(bytes, out byte code, out int tokenAt);
        if (length == 0 || length > bytes.Length)
        {
            return 0;
        }

        if (code >= Signalling)
        {
            part = code switch { Csm => StreamPart.Greeting, Ping => StreamPart.Ping, _ => StreamPart.Other };
            return length;
        }

        part = StreamPart.WrongAnswer;
        if ((bytes[0] & 0xf) == TokenSize)
        {
            slot = (bytes[tokenAt] << 8) | bytes[tokenAt + 1];
            part = code == 0x45 && bytes[..length].EndsWith(_ending) ? StreamPart.Answer : StreamPart.WrongAnswer;
        }

        return length;
    }
}

/// <summary>HTTP/1.1.</summary>
/// <param name="paths">What is asked for, one after the other.</param>
/// <param name="payload">The expected body.</param>
/// <param name="isClosing">Whether the connection is for one request only.</param>
internal sealed class HttpStreamProtocol(IEnumerable<string> paths, string payload, bool isClosing) : StreamProtocol
{
    private readonly byte[][] _requests = [.. paths.Select(path =>
        Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{(isClosing ? "Connection: close\r\n" : "")}\r\n"))];
    private readonly byte[] _body = Encoding.ASCII.GetBytes(payload);
    private int _next;

    public override byte[] Opening => [];

    public override SslApplicationProtocol Alpn => SslApplicationProtocol.Http11;

    public override bool HasGreeting => false;

    public override int Write(Span<byte> to, int slot)
    {
        byte[] request = _requests[_next];
        _next = (_next + 1) % _requests.Length;
        request.CopyTo(to);
        return request.Length;
    }

    public override int Take(ReadOnlySpan<byte> bytes, out StreamPart part, out int slot)
    {
        (part, slot) = (StreamPart.WrongAnswer, 0);
        int head = bytes.IndexOf("\r\n\r\n"u8);
        if (head < 0)
        {
            return 0;
        }

        int at = bytes[..head].IndexOf("Content-Length: "u8);
        if (at < 0 || !Utf8Parser.TryParse(bytes[(at + "Content-Length: "u8.Length)..], out int length, out _))
        {
            return bytes.Length;
        }

        int all = head + 4 + length;
        if (all > bytes.Length)
        {
            return 0;
        }

        part = bytes.StartsWith("HTTP/1.1 200 "u8) && bytes[(head + 4)..all].SequenceEqual(_body)
            ? StreamPart.Answer
            : StreamPart.WrongAnswer;
        return all;
    }
}

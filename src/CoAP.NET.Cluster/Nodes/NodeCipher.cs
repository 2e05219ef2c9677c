using System.Text;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Encrypts what nodes send to each other where the connection does not, such as keys and relayed datagrams between silos
/// (<see cref="RecordCipher"/>). Sender, receiver and purpose are authenticated: a message to another node does not open. Thread-safe.
/// </summary>
internal sealed class NodeCipher : IDisposable
{
    private const int IdLength = 16;
    private const int MaxPath = 64;

    private readonly CoapNodeId _self;
    private readonly CoapSealedClusterStore _store;
    private readonly RecordCipher _cipher;
    private readonly ILogger _logger;
    private readonly OccasionalLog _told;
    private long _refused;

    /// <summary>Creates the cipher of a node.</summary>
    /// <param name="self">The node.</param>
    /// <param name="secrets">The current secret, and possibly the previous one; copied.</param>
    /// <param name="store">Knows which of them to use.</param>
    /// <param name="random">The source of nonces.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log of refused messages.</param>
    public NodeCipher(
        CoapNodeId self, IReadOnlyList<ReadOnlyMemory<byte>> secrets, CoapSealedClusterStore store, CoapRandomSource random,
        TimeProvider time, ILogger logger)
    {
        (_self, _store, _logger) = (self, store, logger);
        _cipher = new RecordCipher(secrets, random, "messages");
        _told = new OccasionalLog(time);
    }

    /// <summary>The number of messages that did not open.</summary>
    public long RefusedCount => Interlocked.Read(ref _refused);

    /// <summary>Encrypts a message of this node.</summary>
    /// <param name="to">The receiver.</param>
    /// <param name="path">What it is for.</param>
    /// <param name="content">The message.</param>
    /// <param name="question">The encrypted question that it answers; empty for none.</param>
    /// <exception cref="ObjectDisposedException">The node has ended.</exception>
    public byte[] Seal(CoapNodeId to, string path, ReadOnlySpan<byte> content, ReadOnlySpan<byte> question = default)
    {
        _cipher.UsesPrevious = _store.UsesPreviousSecret;
        return _cipher.Seal(NameOf(_self, to, path, question), content);
    }

    /// <summary>Decrypts a message to this node.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="path">What it is for.</param>
    /// <param name="message">The encrypted message.</param>
    /// <param name="question">The encrypted question that it answers; empty for none.</param>
    /// <returns>The message; null if that node did not encrypt it for this node and purpose, which is counted and logged.</returns>
    public byte[]? TryOpen(CoapNodeId from, string path, ReadOnlySpan<byte> message, ReadOnlySpan<byte> question = default)
    {
        byte[]? content = path.Length <= MaxPath ? _cipher.TryOpen(NameOf(from, _self, path, question), message) : null;
        if (content is null)
        {
            long count = Interlocked.Increment(ref _refused);
            if (_told.IsDue())
            {
                NodesLog.MessageRefused(_logger, from, count);
            }
        }

        return content;
    }

    public void Dispose() => _cipher.Dispose();

    // An answer is bound to its question by the beginning of it, which has a random nonce and the tag.
    private static byte[] NameOf(CoapNodeId from, CoapNodeId to, string path, ReadOnlySpan<byte> question)
    {
        question = question[..Math.Min(question.Length, RecordCipher.Overhead)];
        byte[] name = new byte[(2 * IdLength) + question.Length + Encoding.UTF8.GetByteCount(path)];
        from.Value.TryWriteBytes(name);
        to.Value.TryWriteBytes(name.AsSpan(IdLength));
        question.CopyTo(name.AsSpan(2 * IdLength));
        Encoding.UTF8.GetBytes(path, name.AsSpan((2 * IdLength) + question.Length));
        return name;
    }
}

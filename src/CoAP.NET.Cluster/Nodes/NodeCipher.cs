using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Text;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Encrypts what nodes send to each other where the connection does not, such as keys and relayed datagrams between silos
/// (<see cref="StoreRecordCipher"/>). Sender, receiver and purpose are authenticated: a message to another node does not open. A message
/// opens once: it has a number, and the receiver remembers the newest numbers of each sender. Thread-safe.
/// </summary>
internal sealed class NodeCipher : IDisposable
{
    /// <summary>
    /// The number of newest messages of a node and purpose that may arrive in any order. Threads of the sender and connections of Orleans
    /// change it.
    /// </summary>
    public const int Window = 16_384;

    /// <summary>With more windows (2 KiB each), those of nodes that are not live make room, and only live nodes get one.</summary>
    public const int MaxWindows = 1_024;

    private const int IdLength = 16;
    private const int NumberLength = sizeof(ulong);
    private const int MaxPath = 64;

    private readonly CoapNodeId _self;
    private readonly CoapSealedClusterStore _store;
    private readonly StoreRecordCipher _cipher;
    private readonly ILogger _logger;
    private readonly Func<CoapNodeId, bool> _isLive;
    private readonly RateLimitedLog _toldRefused;
    private readonly RateLimitedLog _toldRepeated;

    // A process has another id after a restart, so numbers begin at 0 and windows need not be stored.
    private readonly ConcurrentDictionary<string, StrongBox<ulong>> _sent = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<(CoapNodeId From, string Path), ReceivedNumbers> _received = new();
    private volatile bool _isCrowded;
    private long _refused;

    /// <summary>Creates the cipher of a node.</summary>
    /// <param name="self">The node.</param>
    /// <param name="secrets">The current secret, and possibly the previous one; copied.</param>
    /// <param name="store">Knows which of them to use.</param>
    /// <param name="isLive">Whether a node is live.</param>
    /// <param name="random">The source of nonces.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log of refused messages.</param>
    public NodeCipher(
        CoapNodeId self, IReadOnlyList<ReadOnlyMemory<byte>> secrets, CoapSealedClusterStore store, Func<CoapNodeId, bool> isLive,
        CoapRandomSource random, TimeProvider time, ILogger logger)
    {
        (_self, _store, _isLive, _logger) = (self, store, isLive, logger);
        _cipher = new StoreRecordCipher(secrets, random, "messages", format: store.Format);
        _toldRefused = new RateLimitedLog(time);
        _toldRepeated = new RateLimitedLog(time);
    }

    /// <summary>The number of messages that did not open, or that were opened before.</summary>
    public long RefusedCount => Interlocked.Read(ref _refused);

    public int WindowCount => _received.Count;

    /// <summary>Encrypts a message of this node.</summary>
    /// <param name="to">The receiver.</param>
    /// <param name="path">The path of its handler.</param>
    /// <param name="content">The message.</param>
    /// <param name="question">The encrypted question that it answers; empty for none.</param>
    /// <exception cref="ObjectDisposedException">The node has ended.</exception>
    public byte[] Seal(CoapNodeId to, string path, ReadOnlySpan<byte> content, ReadOnlySpan<byte> question = default)
    {
        _cipher.UsesPrevious = _store.UsesPreviousSecret;
        if (!question.IsEmpty)
        {
            return _cipher.Seal(NameOf(_self, to, path, BeginningOf(question)), content);
        }

        byte[] number = new byte[NumberLength];
        BinaryPrimitives.WriteUInt64BigEndian(number, Interlocked.Increment(ref _sent.GetOrAdd(path, static _ => new()).Value) - 1);
        return [.. number, .. _cipher.Seal(NameOf(_self, to, path, number), content)];
    }

    /// <summary>Decrypts a message to this node.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="path">The path of its handler.</param>
    /// <param name="message">The encrypted message.</param>
    /// <param name="question">The encrypted question that it answers; empty for none.</param>
    /// <returns>The message; null if that node did not encrypt it for this node and purpose, or if it may have been opened before. That is
    /// counted and logged.</returns>
    public byte[]? TryOpen(CoapNodeId from, string path, ReadOnlySpan<byte> message, ReadOnlySpan<byte> question = default)
    {
        bool hasNumber = question.IsEmpty;
        ReadOnlySpan<byte> number = hasNumber ? message[..Math.Min(NumberLength, message.Length)] : default;
        byte[]? content = path.Length <= MaxPath && (!hasNumber || number.Length == NumberLength)
            ? _cipher.TryOpen(NameOf(from, _self, path, hasNumber ? number : BeginningOf(question)), message[number.Length..])
            : null;
        if (content is null)
        {
            long count = Interlocked.Increment(ref _refused);
            if (_toldRefused.IsDue())
            {
                NodesLog.MessageRefused(_logger, from, count);
            }
        }
        else if (hasNumber && !TryTake(from, path, BinaryPrimitives.ReadUInt64BigEndian(number)))
        {
            content = null;
            long count = Interlocked.Increment(ref _refused);
            if (_toldRepeated.IsDue())
            {
                NodesLog.MessageRepeated(_logger, from, count);
            }
        }

        return content;
    }

    public void Dispose() => _cipher.Dispose();

    // The beginning has the number, a random nonce and the tag.
    private static ReadOnlySpan<byte> BeginningOf(ReadOnlySpan<byte> question) =>
        question[..Math.Min(question.Length, NumberLength + StoreRecordCipher.Overhead)];

    // A message is bound to its number, an answer to its question.
    private static byte[] NameOf(CoapNodeId from, CoapNodeId to, string path, ReadOnlySpan<byte> binding)
    {
        byte[] name = new byte[(2 * IdLength) + binding.Length + Encoding.UTF8.GetByteCount(path)];
        from.Value.TryWriteBytes(name);
        to.Value.TryWriteBytes(name.AsSpan(IdLength));
        binding.CopyTo(name.AsSpan(2 * IdLength));
        Encoding.UTF8.GetBytes(path, name.AsSpan((2 * IdLength) + binding.Length));
        return name;
    }

    private bool TryTake(CoapNodeId from, string path, ulong number)
    {
        if (!_received.TryGetValue((from, path), out ReceivedNumbers? received))
        {
            // A node that has just started may send before this one has read that it is live. Nodes are that many only after very many
            // restarts: then messages of ended nodes, whose numbers are forgotten, must not open again.
            if (_received.Count >= MaxWindows)
            {
                _isCrowded = true;
                foreach ((CoapNodeId node, string other) in _received.Keys.Where(key => !_isLive(key.From)))
                {
                    _received.TryRemove((node, other), out _);
                }
            }

            if (_isCrowded && !_isLive(from))
            {
                return false;
            }

            received = _received.GetOrAdd((from, path), static _ => new ReceivedNumbers());
        }

        return received.TryTake(number);
    }

    private sealed class ReceivedNumbers
    {
        private readonly ulong[] _ring = new ulong[Window / 64];
        private ulong _next;

        public bool TryTake(ulong number)
        {
            lock (_ring)
            {
                bool isNew = ReplayBits.Takes(_next, _ring, number);
                if (isNew)
                {
                    ReplayBits.Add(ref _next, _ring, number);
                }

                return isNew;
            }
        }
    }
}

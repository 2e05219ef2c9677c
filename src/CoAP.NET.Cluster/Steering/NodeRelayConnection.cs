using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// The connection to the UDP port of another node's server. It is used once the node has answered there, and occasionally asks for
/// acknowledgements. The node gave the key to this node only, and gives a new one with each question. Thread-safe.
/// </summary>
/// <param name="to">The address of the node.</param>
/// <param name="id">The Connection ID of records.</param>
/// <param name="key">The key of records; copied.</param>
/// <param name="time">The clock.</param>
internal sealed class NodeRelayConnection(CoapAddress to, ulong id, ReadOnlySpan<byte> key, TimeProvider time) : IDisposable
{
    // A node that answers later may be suspended, which is uncertain until its lease ends.
    private static readonly TimeSpan s_answerTimeout = TimeSpan.FromSeconds(1);

    // Ten questions or answers must be lost before a live node counts as suspended.
    private static readonly TimeSpan s_questions = TimeSpan.FromMilliseconds(100);

    private readonly AesGcm _aes = new(key, RelayRecord.TagLength);
    private readonly Lock _gate = new();
    private ulong _next;
    private bool _isOpen;
    private bool _isDisposed;

    // The first and the last unanswered question, and their time; null for none.
    private long? _askedAt;
    private ulong _askedFirst;
    private long _askedLast = long.MinValue;

    public CoapAddress To { get; } = to;

    /// <summary>Whether the node has answered there.</summary>
    public bool IsOpen => Volatile.Read(ref _isOpen);

    /// <summary>Whether answers of the node are overdue.</summary>
    public bool IsStalled
    {
        get
        {
            lock (_gate)
            {
                return _isOpen && _askedAt is { } since && time.GetElapsedTime(since) >= s_answerTimeout;
            }
        }
    }

    /// <summary>Whether an answer is pending.</summary>
    public bool IsAsking
    {
        get
        {
            lock (_gate)
            {
                return _askedAt is not null;
            }
        }
    }

    /// <summary>Encrypts a record whose content is already in place.</summary>
    /// <returns>False if the way is no longer used.</returns>
    public bool TrySeal(RelayKind kind, Span<byte> record)
    {
        lock (_gate)
        {
            if (_isDisposed || _next >= RelayRecord.Numbers)
            {
                return false;
            }

            ulong number = _next++;
            long now = time.GetTimestamp();
            bool asks = kind != RelayKind.Answer
                && (kind == RelayKind.Question || _askedLast == long.MinValue || time.GetElapsedTime(_askedLast, now) >= s_questions);
            if (asks)
            {
                _askedLast = now;
                (_askedAt, _askedFirst) = _askedAt is { } since ? (since, _askedFirst) : (now, number);
            }

            RelayRecord.Seal(_aes, id, number, kind, asks, record);
            return true;
        }
    }

    /// <summary>Handles an answer of the node.</summary>
    /// <param name="content">Its content: the number of the record that asked.</param>
    /// <returns>Whether the way has become usable.</returns>
    public bool OnAnswer(ReadOnlySpan<byte> content)
    {
        lock (_gate)
        {
            // A late answer tells nothing about the present.
            if (content.Length != sizeof(ulong) || _askedAt is not { } since
                || BinaryPrimitives.ReadUInt64BigEndian(content) is var number && (number < _askedFirst || number >= _next))
            {
                return false;
            }

            bool isChange = !_isOpen || time.GetElapsedTime(since) >= s_answerTimeout;
            _askedAt = null;
            Volatile.Write(ref _isOpen, true);
            return isChange;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _aes.Dispose();
        }
    }
}

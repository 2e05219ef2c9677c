using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// The way to the UDP port of a server of another node. It is used when that has answered there, and asks now and then whether what is sent
/// arrives. The node has given the key to this one alone, and a new one whenever it is asked. Thread-safe.
/// </summary>
/// <param name="to">Where the node hears.</param>
/// <param name="id">The Connection ID of records.</param>
/// <param name="key">The key of records; copied.</param>
/// <param name="time">The clock.</param>
internal sealed class RelayWay(CoapAddress to, ulong id, ReadOnlySpan<byte> key, TimeProvider time) : IDisposable
{
    // One that answers later than that is perhaps asleep, which nobody knows before its lease has ended.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    // Ten questions have to be lost, or their answers, before a node that is awake is taken for one that sleeps.
    private static readonly TimeSpan s_questions = TimeSpan.FromMilliseconds(100);

    private readonly AesGcm _aes = new(key, RelayRecord.TagLength);
    private readonly Lock _gate = new();
    private ulong _next;
    private bool _isOpen;
    private bool _isDisposed;

    // The first and the last record that asked and were not answered, and when; null for none.
    private long? _askedAt;
    private ulong _askedFirst;
    private long _askedLast = long.MinValue;

    /// <summary>Where the node hears.</summary>
    public CoapAddress To { get; } = to;

    /// <summary>Whether the node has answered there.</summary>
    public bool IsOpen => Volatile.Read(ref _isOpen);

    /// <summary>Whether the node has not answered for a while.</summary>
    public bool IsStalled
    {
        get
        {
            lock (_gate)
            {
                return _isOpen && _askedAt is { } since && time.GetElapsedTime(since) >= s_patience;
            }
        }
    }

    /// <summary>Whether an answer is awaited.</summary>
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

    /// <summary>Seals a record whose content stands in it.</summary>
    /// <param name="kind">What is in it.</param>
    /// <param name="record">The record.</param>
    /// <returns>False when the way is not used any more.</returns>
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

    /// <summary>The node has answered.</summary>
    /// <param name="content">What it said: the number of the record that asked.</param>
    /// <returns>Whether the way can be used from now on, and could not before.</returns>
    public bool OnAnswer(ReadOnlySpan<byte> content)
    {
        lock (_gate)
        {
            // An answer that was long under way says nothing of now.
            if (content.Length != sizeof(ulong) || _askedAt is not { } since
                || BinaryPrimitives.ReadUInt64BigEndian(content) is var number && (number < _askedFirst || number >= _next))
            {
                return false;
            }

            bool isNews = !_isOpen || time.GetElapsedTime(since) >= s_patience;
            _askedAt = null;
            Volatile.Write(ref _isOpen, true);
            return isNews;
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

using System.Security.Cryptography;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// The entrance for records of one other node at the UDP port of a server. It rejects replays, and counts lost records. Thread-safe.
/// </summary>
/// <param name="node">The node.</param>
/// <param name="number">Its number (<see cref="ClusterDatagramRelay"/>).</param>
/// <param name="id">The Connection ID of its records.</param>
/// <param name="key">Their key; copied.</param>
internal sealed class RelayReceiver(CoapNodeId node, int number, ulong id, ReadOnlySpan<byte> key) : IDisposable
{
    // The maximum reordering by several sockets and threads.
    private const int Words = 16;
    private const int Window = Words * 64;

    private readonly AesGcm _aes = new(key, RelayRecord.TagLength);
    private readonly Lock _gate = new();
    private readonly ulong[] _ring = new ulong[Words];
    private ulong _next;
    private ulong _received;
    private ulong _lost;
    private bool _isDisposed;

    public CoapNodeId Node { get; } = node;

    public int Number { get; } = number;

    public ulong Id { get; } = id;

    /// <summary>Opens a record in place.</summary>
    /// <param name="record">The record.</param>
    /// <param name="kind">The kind of its content.</param>
    /// <param name="asks">Whether it asks for an acknowledgement.</param>
    /// <param name="lost">The number of further records known to be lost now.</param>
    /// <returns>False if it is not authentic, a replay, or too old.</returns>
    public bool TryOpen(Span<byte> record, out RelayKind kind, out bool asks, out int lost)
    {
        ulong sequence = RelayRecord.NumberOf(record);
        lock (_gate)
        {
            (kind, asks, lost) = (default, false, 0);
            if (_isDisposed || !ReplayBits.Takes(_next, _ring, sequence) || !RelayRecord.TryOpen(_aes, record, out kind, out asks))
            {
                return false;
            }

            bool isNewest = sequence >= _next;
            ReplayBits.Add(ref _next, _ring, sequence);
            _received++;
            if (isNewest && _next > Window)
            {
                // Missing records older than the window will not arrive any more.
                ulong inWindow = 0;
                foreach (ulong word in _ring)
                {
                    inWindow += (ulong)ulong.PopCount(word);
                }

                ulong all = _next - Window - (_received - inWindow);
                lost = (int)Math.Min(int.MaxValue, all - _lost);
                _lost = all;
            }

            return true;
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

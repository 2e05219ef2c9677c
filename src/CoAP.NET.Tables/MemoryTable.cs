using CoAP.NET.Cryptography;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tables;

/// <summary>A table of one process without a store. Everything happens on the calling thread. Thread-safe.</summary>
internal sealed class MemoryTable : CoapReplicatedTable
{
    private readonly TableContents _contents;
    private readonly CoapReplicatedTableOptions _options;
    private readonly byte[] _secret = new byte[Sha256.HashLength];
    private bool _isDisposed;

    public MemoryTable(
        ICoapReplicatedTableRules rules, TimeProvider time, CoapReplicatedTableOptions options, ILogger? logger, CoapRandomSource? random)
    {
        (random ?? CoapRandomSource.Secure).Fill(_secret);
        _contents = new TableContents(rules, time, logger ?? NullLogger.Instance, static () => new TablePartition());
        _options = options;
    }

    public override int Count => _contents.Count;

    public override long Bytes => _contents.Bytes;

    public override Task StartAsync(CancellationToken cancellationToken = default) => cancellationToken.IsCancellationRequested
        ? Task.FromCanceled(cancellationToken)
        : Task.CompletedTask;

    public override ValueTask<ReadOnlyMemory<byte>> RequestAsync(
        CoapTableKey key, ReadOnlyMemory<byte> question, CancellationToken cancellationToken = default)
    {
        Check(key, question);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadOnlyMemory<byte>>(cancellationToken);
        }

        TablePartition slot = _contents[key.Slot];
        slot.ThrowIfHeld();
        lock (slot.Gate)
        {
            CoapTableDecision decision = _contents.Decide(slot, key, question, out int index);
            if (decision.IsPut)
            {
                TableSizeLimiter.ThrowIfFull(_contents, slot, index, key, decision, _options);
                _contents.Put(slot, TableEntry.DataOf(key.Bytes, decision.Value.Span), key.Bytes.Length,
                    _contents.EndOf(decision.Lifetime));
            }
            else if (decision.IsRemoval && index != TableSlotEntries.None)
            {
                _contents.Remove(slot, index, isExpired: false);
            }

            return new ValueTask<ReadOnlyMemory<byte>>(decision.Reply);
        }
    }

    public override CoapTableKey KeyOf(ReadOnlySpan<byte> name) => CoapTableKey.FromName(_secret, name);

    public override ValueTask DisposeAsync()
    {
        Volatile.Write(ref _isDisposed, true);
        _contents.Dispose();
        return default;
    }
}

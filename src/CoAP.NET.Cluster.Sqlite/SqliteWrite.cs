using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>Writes one batch of changes to the file.</summary>
internal sealed class SqliteWrite(ReadOnlyMemory<CoapRecordWrite> batch) : SqliteJob
{
    private readonly TaskCompletionSource<CoapWriteResult> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ReadOnlyMemory<CoapRecordWrite> Batch { get; } = batch;

    public Task<CoapWriteResult> Task => _done.Task;

    /// <summary>Writes some batches in one transaction: all of them are on the disk after one flush, or none is.</summary>
    public static void Run(SqliteFile file, IReadOnlyList<SqliteWrite> writes)
    {
        try
        {
            CoapWriteResult[] results = file.Do(open => open.Write([.. writes.Select(static write => write.Batch)]));
            for (int i = 0; i < results.Length; i++)
            {
                writes[i]._done.TrySetResult(results[i]);
            }
        }
#pragma warning disable CA1031 // work of a scheduler must not throw
        catch (Exception exception)
#pragma warning restore CA1031
        {
            foreach (SqliteWrite write in writes)
            {
                write.Fail(exception);
            }
        }
    }

    public override void Run(SqliteFile file) => Run(file, [this]);

    public override void Fail(Exception exception) => _done.TrySetException(exception);
}

using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>
/// Executes all work on the file in the order of the calls, on a thread of a scheduler that it holds only while there is work. It combines
/// waiting writes into one transaction. Thread-safe.
/// </summary>
internal sealed class SqliteWorkQueue(SqliteFile file, CoapThreadScheduler scheduler, int maxWaiting) : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Queue<SqliteJob> _jobs = [];
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isRunning;
    private bool _isDisposed;

    public void ThrowIfDisposed()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(CoapSqliteClusterStore));
        }
    }

    public Task<T> RunAsync<T>(Func<SqliteFile, T> work, CancellationToken cancellationToken)
    {
        SqliteCall<T> job = new(work);
        return Add(job, job.Task, cancellationToken);
    }

    public Task<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        SqliteWrite job = new(batch);
        return Add(job, job.Task, cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        bool begins;
        lock (_gate)
        {
            begins = !_isDisposed && !_isRunning;
            _isDisposed = true;
            _isRunning = true;
        }

        if (begins && !scheduler.TryQueue(static state => ((SqliteWorkQueue)state!).Run(), this, null, null))
        {
            // A process that gets no thread has other problems; this thread closes the file.
            Run();
        }

        await _ended.Task.ConfigureAwait(false);
    }

    private Task<T> Add<T>(SqliteJob job, Task<T> done, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(cancellationToken);
        }

        bool begins;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(CoapSqliteClusterStore));
            if (_jobs.Count >= maxWaiting)
            {
                throw new CoapClusterStoreException(CoapClusterStoreFault.Busy,
                    $"{maxWaiting} calls wait for the disk (MaxWaitingCalls), which is slower than the writes. Write larger batches.");
            }

            _jobs.Enqueue(job);
            begins = !_isRunning;
            _isRunning = true;
        }

        if (begins && !scheduler.TryQueue(static state => ((SqliteWorkQueue)state!).Run(), this, null, null))
        {
            FailAll(new CoapClusterStoreException(CoapClusterStoreFault.Busy,
                "No thread is available to write state. The process has too many threads."));
        }

        return cancellationToken.CanBeCanceled ? done.WaitAsync(cancellationToken) : done;
    }

    private void Run()
    {
        List<SqliteWrite> writes = [];
        while (TryTake(writes, out SqliteJob? job))
        {
            if (writes.Count > 0)
            {
                SqliteWrite.Run(file, writes);
            }
            else if (job is not null)
            {
                job.Run(file);
            }
            else
            {
                file.Dispose();
                _ended.TrySetResult();
                return;
            }
        }
    }

    // Returns the next work: some writes, or another job; no job at the end of the object. False if there is none.
    private bool TryTake(List<SqliteWrite> writes, out SqliteJob? job)
    {
        writes.Clear();
        lock (_gate)
        {
            if (!_jobs.TryDequeue(out job))
            {
                _isRunning = _isDisposed;
                return _isDisposed;
            }

            if (job is SqliteWrite write)
            {
                writes.Add(write);
                int rows = write.Batch.Length;
                while (_jobs.TryPeek(out SqliteJob? next) && next is SqliteWrite more
                    && (rows += more.Batch.Length) <= RecordBatchValidator.MaxCount)
                {
                    _jobs.Dequeue();
                    writes.Add(more);
                }
            }

            return true;
        }
    }

    private void FailAll(Exception exception)
    {
        SqliteJob[] jobs;
        bool ends;
        lock (_gate)
        {
            jobs = [.. _jobs];
            _jobs.Clear();
            _isRunning = false;
            ends = _isDisposed;
        }

        foreach (SqliteJob job in jobs)
        {
            job.Fail(exception);
        }

        if (ends)
        {
            file.Dispose();
            _ended.TrySetResult();
        }
    }
}

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>A unit of work with a result.</summary>
internal sealed class SqliteCall<T>(Func<SqliteFile, T> work) : SqliteJob
{
    private readonly TaskCompletionSource<T> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<T> Task => _done.Task;

    public override void Run(SqliteFile file)
    {
        try
        {
            _done.TrySetResult(file.Do(work));
        }
#pragma warning disable CA1031 // work of a scheduler must not throw
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Fail(exception);
        }
    }

    public override void Fail(Exception exception) => _done.TrySetException(exception);
}

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>Something to do with the file. It never throws: whoever waits for it is told.</summary>
internal abstract class SqliteJob
{
    public abstract void Run(SqliteFile file);

    public abstract void Fail(Exception exception);
}

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>A unit of work on the file. It never throws: its caller gets the exception.</summary>
internal abstract class SqliteJob
{
    public abstract void Run(SqliteFile file);

    public abstract void Fail(Exception exception);
}

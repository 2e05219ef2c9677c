namespace CoAP.NET.Cluster.Tests.Sqlite;

/// <summary>Changes a file of a store as another program does.</summary>
internal static class SqliteSql
{
    public static void Run(string path, string sql)
    {
        using SqliteConnection connection = new($"Data Source={path};Pooling=false");
        connection.Open();
        using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // texts of tests
        command.CommandText = sql;
#pragma warning restore CA2100
        command.ExecuteNonQuery();
    }
}

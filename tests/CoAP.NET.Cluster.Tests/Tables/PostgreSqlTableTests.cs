namespace CoAP.NET.Cluster.Tests.Tables;

[Collection(PostgreSqlCollection.Name)]
[External("postgres")]
public sealed class PostgreSqlTableTests(PostgreSqlServer server)
{
    private static int s_schemas;

    private readonly string _schema = $"table{Interlocked.Increment(ref s_schemas)}";

    [Fact]
    public async Task Confirmed_changes_survive_while_nodes_leave_join_and_are_killed()
    {
        await using TableWorld world = new(() => new CoapPostgreSqlClusterStore(
            new CoapPostgreSqlClusterOptions { ConnectionString = server.ConnectionString, Schema = _schema }));
        await new TableHammer(world).RunAsync();
    }
}

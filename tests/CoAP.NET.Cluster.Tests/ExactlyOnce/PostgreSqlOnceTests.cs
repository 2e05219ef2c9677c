namespace CoAP.NET.Cluster.Tests.ExactlyOnce;

[Collection(PostgreSqlCollection.Name)]
[External("postgres")]
public sealed class PostgreSqlOnceTests(PostgreSqlServer server) : OnceSuite
{
    private static int s_schemas;

    private readonly string _schema = $"once{Interlocked.Increment(ref s_schemas)}";

    [Fact]
    public Task A_copy_at_another_process_gets_the_response_of_the_first_request() => CopiesHaveTheAnswerOfTheFirstAsync();

    [Fact]
    public Task A_copy_after_a_rollback_executes_the_request() => WhatWasRolledBackIsDoneByTheNextCopyAsync();

    [Fact]
    public async Task A_copy_waits_for_a_concurrent_execution_elsewhere()
    {
        await MakeTablesAsync();
        CoapRequestContext request = await RequestAsync();
        await using DbConnection one = await OpenAsync();
        await using DbConnection other = await OpenAsync();
        await using DbTransaction first = await one.BeginTransactionAsync();
        await using DbTransaction second = await other.BeginTransactionAsync();
        CoapExactlyOnceRequest run = await Once.TryBeginAsync(first, request);
        Task<CoapExactlyOnceRequest> copy = Once.TryBeginAsync(second, request);
        await run.CompleteAsync(CoapResults.Changed(CoapContent.Text("done")));
        Assert.False(copy.IsCompleted);
        await first.CommitAsync();

        CoapExactlyOnceRequest known = await copy;
        Assert.False(known.IsFirst);
        Assert.Equal((CoapCode.Changed, "done"), (known.Answer!.Code, Encoding.UTF8.GetString(known.Answer.Payload.Span)));
        Assert.Equal(CoapContentFormat.TextPlain, known.Answer.Options.ContentFormat);
    }

    private protected override async Task<DbConnection> OpenAsync()
    {
        DbConnection connection = await server.OpenAsync();
        await using DbCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // texts of the tests
        command.CommandText = $"create schema if not exists {_schema}; set search_path to {_schema}";
#pragma warning restore CA2100
        await command.ExecuteNonQueryAsync();
        return connection;
    }
}

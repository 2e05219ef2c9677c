namespace CoAP.NET.Cluster.Tests.ExactlyOnce;

public sealed class SqliteOnceTests : OnceSuite
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-once-").FullName;

    [Fact]
    public Task A_copy_at_another_process_gets_the_response_of_the_first_request() => CopiesHaveTheAnswerOfTheFirstAsync();

    [Fact]
    public Task A_copy_after_a_rollback_executes_the_request() => WhatWasRolledBackIsDoneByTheNextCopyAsync();

    [Fact]
    public Task A_stored_request_with_its_response_is_readable_by_every_version() => EveryVersionReadsThemAsync();

    [Fact]
    public Task A_request_with_an_unreadable_stored_response_is_not_executed_again() => UnreadableIsNotNewAsync();

    [Fact]
    public void Invalid_options_are_refused()
    {
        foreach (string table in (string[])["", "a b", "1a", "a;drop table x", "a.b.c", "\"a\"", new('a', 64)])
        {
            Assert.Throws<ArgumentException>(() => new CoapExactlyOnce(table: table));
        }

        _ = new CoapExactlyOnce(table: "app.Coap_Once2");
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapExactlyOnce(FromSeconds(92)));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapExactlyOnce(FromDays(2)));
    }

    private protected override async Task<DbConnection> OpenAsync()
    {
        SqliteConnection connection = new($"Data Source={Path.Combine(_folder, "app.db")};Pooling=False");
        await connection.OpenAsync();
        return connection;
    }

    private protected override void Dispose(bool isDisposing)
    {
        Directory.Delete(_folder, recursive: true);
        base.Dispose(isDisposing);
    }
}

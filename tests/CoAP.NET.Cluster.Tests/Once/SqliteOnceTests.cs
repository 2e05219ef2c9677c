namespace CoAP.NET.Cluster.Tests.Once;

public sealed class SqliteOnceTests : OnceSuite
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-once-").FullName;

    [Fact]
    public Task Copies_that_come_to_another_process_get_the_answer_of_the_first() => CopiesHaveTheAnswerOfTheFirstAsync();

    [Fact]
    public Task What_was_rolled_back_is_done_by_the_next_copy() => WhatWasRolledBackIsDoneByTheNextCopyAsync();

    [Fact]
    public Task A_request_and_its_answer_are_stored_so_that_every_version_reads_them() => EveryVersionReadsThemAsync();

    [Fact]
    public Task A_request_whose_answer_is_not_readable_is_not_new() => UnreadableIsNotNewAsync();

    [Fact]
    public void Options_are_checked()
    {
        foreach (string table in (string[])["", "a b", "1a", "a;drop table x", "a.b.c", "\"a\"", new('a', 64)])
        {
            Assert.Throws<ArgumentException>(() => new CoapOnce(new CoapOnceOptions { Table = table }));
        }

        _ = new CoapOnce(new CoapOnceOptions { Table = "app.Coap_Once2" });
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapOnce(new CoapOnceOptions { Lifetime = FromSeconds(92) }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapOnce(new CoapOnceOptions { Lifetime = FromDays(2) }));
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

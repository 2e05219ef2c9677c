namespace CoAP.NET.Cli.Tests.Serving;

public sealed class ServeWriteTests
{
    [Fact]
    public async Task Put_creates_and_replaces_and_delete_removes()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();
        byte[] body = [.. Enumerable.Range(0, 100_000).Select(i => (byte)(i * 7))];

        CoapResponse created = await client.PutAsync($"{folder.Uri}/sub/new.bin", CoapContent.Binary(body));
        Assert.Equal(CoapCode.Created, created.Code);
        Assert.Equal(body, await File.ReadAllBytesAsync(folder.PathOf("sub/new.bin")));
        CoapResponse changed = await client.PutAsync($"{folder.Uri}/sub/new.bin", CoapContent.Text("short"));
        Assert.Equal(CoapCode.Changed, changed.Code);
        Assert.Equal("short", (await client.GetAsync($"{folder.Uri}/sub/new.bin")).GetText());
        Assert.Equal(CoapCode.Deleted, (await client.DeleteAsync($"{folder.Uri}/sub/new.bin")).Code);
        Assert.Equal(CoapCode.Deleted, (await client.DeleteAsync($"{folder.Uri}/sub/new.bin")).Code);
        Assert.Equal([folder.PathOf("sub/data.json")], Directory.GetFiles(folder.PathOf("sub")));
    }

    [Theory]
    [InlineData(true, "--write")]
    [InlineData(false)]
    public async Task Incomplete_files_of_a_killed_process_are_removed_when_a_writable_server_starts(bool isRemoved, params string[] args)
    {
        const string Old = "sub/.coap-part-old";
        const string Recent = ".coap-part-recent";
        await using ServedFolder folder = await ServedFolder.StartAsync(
            folder =>
            {
                File.WriteAllText(folder.PathOf(Old), "incomplete");
                File.SetLastWriteTimeUtc(folder.PathOf(Old), TimeProvider.System.GetUtcNow().UtcDateTime.AddHours(-1));

                // Of another process that writes now.
                File.WriteAllText(folder.PathOf(Recent), "incomplete");
            },
            ["--bind", "coap://127.0.0.1:0", .. args]);

        Assert.Equal((!isRemoved, true), (File.Exists(folder.PathOf(Old)), File.Exists(folder.PathOf(Recent))));
    }

    [Fact]
    public async Task If_Match_and_If_None_Match_are_honored()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();
        string uri = $"{folder.Uri}/hello.txt";
        byte[] etag = (await client.GetAsync(uri)).Options.ETag!.Value.ToArray();

        Assert.Equal(CoapCode.PreconditionFailed, (await client.SendAsync(Put(uri, "a", 5, []))).Code);
        Assert.Equal(CoapCode.PreconditionFailed, (await client.SendAsync(Put(uri, "a", 1, [1, 2, 3]))).Code);
        Assert.Equal("hello", await File.ReadAllTextAsync(folder.PathOf("hello.txt")));
        Assert.Equal(CoapCode.Changed, (await client.SendAsync(Put(uri, "HELLO", 1, etag))).Code);

        // Of the same length and at once: the tag must be another one all the same.
        Assert.Equal(CoapCode.PreconditionFailed, (await client.SendAsync(Put(uri, "again", 1, etag))).Code);
        Assert.Equal("HELLO", await File.ReadAllTextAsync(folder.PathOf("hello.txt")));
        Assert.Equal(CoapCode.PreconditionFailed, (await client.SendAsync(Put($"{folder.Uri}/none.txt", "a", 1, []))).Code);
        Assert.Equal(CoapCode.Created, (await client.SendAsync(Put($"{folder.Uri}/none.txt", "a", 5, []))).Code);
        CoapRequest delete = new(CoapMethod.Delete, uri);
        delete.Options.Add(1, etag);
        Assert.Equal(CoapCode.PreconditionFailed, (await client.SendAsync(delete)).Code);
        Assert.True(File.Exists(folder.PathOf("hello.txt")));
    }

    [Fact]
    public async Task The_permissions_of_a_file_are_kept_when_it_is_replaced()
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();
        File.SetUnixFileMode(folder.PathOf("hello.txt"), UnixFileMode.UserRead | UnixFileMode.UserWrite);

        Assert.Equal(CoapCode.Changed, (await client.PutAsync($"{folder.Uri}/hello.txt", CoapContent.Text("x"))).Code);

        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(folder.PathOf("hello.txt")));
    }

    [Theory]
    [InlineData("coap://127.0.0.1:0")]
    [InlineData("coap+tcp://127.0.0.1:0")]
    public async Task A_file_that_is_too_large_is_refused_and_leaves_no_partial_file(string bind)
    {
        await using ServedFolder folder = await ServedFolder.StartAsync(_ => { }, ["--bind", bind, "--write", "--max-size", "4K"]);
        await using CoapClient client = new();
        int before = Directory.GetFileSystemEntries(folder.Root).Length;

        CoapResponse fits = await client.PutAsync($"{folder.Uri}/fits", CoapContent.Binary(new byte[4096]));
        CoapResponse large = await client.PutAsync($"{folder.Uri}/large", CoapContent.Binary(new byte[4097]));

        Assert.Equal(CoapCode.Created, fits.Code);
        Assert.Equal(CoapCode.RequestEntityTooLarge, large.Code);
        Assert.Equal(before + 1, Directory.GetFileSystemEntries(folder.Root).Length);
    }

    [Fact]
    public async Task Folders_can_be_neither_created_nor_written_nor_removed()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();

        Assert.Equal(CoapCode.Conflict, (await client.PutAsync($"{folder.Uri}/none/x", CoapContent.Text("x"))).Code);
        Assert.Equal(CoapCode.Conflict, (await client.PutAsync($"{folder.Uri}/hello.txt/x", CoapContent.Text("x"))).Code);
        Assert.Equal(CoapCode.MethodNotAllowed, (await client.PutAsync($"{folder.Uri}/sub", CoapContent.Text("x"))).Code);
        Assert.Equal(CoapCode.MethodNotAllowed, (await client.PutAsync(folder.Uri, CoapContent.Text("x"))).Code);
        Assert.Equal(CoapCode.MethodNotAllowed, (await client.DeleteAsync($"{folder.Uri}/sub")).Code);
        Assert.True(Directory.Exists(folder.PathOf("sub")));
    }

    [Theory]
    [InlineData("0")]
    [InlineData("2G")]
    [InlineData("many")]
    public async Task An_invalid_size_is_refused(string size)
    {
        CliRun result = await CliHarness.RunAsync("serve", ".", "--write", "--max-size", size);
        Assert.Equal(ExitCodes.Usage, result.ExitCode);
        Assert.Contains($"'{size}' is no size", result.Error, Ordinal);
    }

    private static CoapRequest Put(string uri, string text, int option, byte[] value)
    {
        CoapRequest request = new(CoapMethod.Put, uri) { Content = CoapContent.Text(text) };
        request.Options.Add(option, value);
        return request;
    }
}

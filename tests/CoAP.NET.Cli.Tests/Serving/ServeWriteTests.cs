using System.IO.Pipelines;

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
        created.Gives(CoapCode.Created);
        Assert.Equal(body, await File.ReadAllBytesAsync(folder.PathOf("sub/new.bin")));
        CoapResponse changed = await client.PutAsync($"{folder.Uri}/sub/new.bin", CoapContent.Text("short"));
        changed.Gives(CoapCode.Changed);
        await client.GetAsync($"{folder.Uri}/sub/new.bin").Says("short");
        await client.DeleteAsync($"{folder.Uri}/sub/new.bin").Gives(CoapCode.Deleted);
        await client.DeleteAsync($"{folder.Uri}/sub/new.bin").Gives(CoapCode.Deleted);
        Assert.Equal([folder.PathOf("sub/data.json")], Directory.GetFiles(folder.PathOf("sub")));
    }

    [Fact]
    public async Task An_upload_whose_first_bytes_arrived_has_no_partial_file_yet()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();
        Pipe body = new(new PipeOptions(pauseWriterThreshold: 1024, resumeWriterThreshold: 512));
        Task<CoapResponse> upload = client.PutAsync($"{folder.Uri}/slow", CoapContent.Stream(body.Reader.AsStream()));

        // Ends when the client has read nearly all of it: it reads on when the server has acknowledged the blocks before.
        await body.Writer.WriteAsync(new byte[6 * 1024]);
        Assert.DoesNotContain(Directory.GetFiles(folder.Root), file => file.Contains(".coap-part-"));

        await body.Writer.WriteAsync(new byte[64 * 1024]);
        await body.Writer.CompleteAsync();
        (await upload).Gives(CoapCode.Created);
        Assert.Equal(70 * 1024, new FileInfo(folder.PathOf("slow")).Length);
    }

    [Theory]
    [InlineData(true, "--write")]
    [InlineData(false)]
    public async Task Incomplete_files_of_a_killed_process_are_removed_when_a_writable_server_starts(bool isRemoved, params string[] args)
    {
        const string Abandoned = "sub/.coap-part-abandoned";
        const string Written = ".coap-part-written";
        FileStream? writer = null;
        await using ServedFolder folder = await ServedFolder.StartAsync(
            folder =>
            {
                File.WriteAllText(folder.PathOf(Abandoned), "incomplete");

                // Of another process that writes now.
                writer = new FileStream(folder.PathOf(Written), FileMode.CreateNew, FileAccess.Write, FileShare.None);
            },
            ["--bind", "coap://127.0.0.1:0", .. args]);

        Assert.Equal((!isRemoved, true), (File.Exists(folder.PathOf(Abandoned)), File.Exists(folder.PathOf(Written))));
        await writer!.DisposeAsync();
    }

    [Fact]
    public async Task If_Match_and_If_None_Match_are_honored()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();
        string uri = $"{folder.Uri}/hello.txt";
        byte[] etag = (await client.GetAsync(uri)).Options.ETag!.Value.ToArray();

        await client.SendAsync(Put(uri, "a", 5, [])).Gives(CoapCode.PreconditionFailed);
        await client.SendAsync(Put(uri, "a", 1, [1, 2, 3])).Gives(CoapCode.PreconditionFailed);
        Assert.Equal("hello", await File.ReadAllTextAsync(folder.PathOf("hello.txt")));
        await client.SendAsync(Put(uri, "HELLO", 1, etag)).Gives(CoapCode.Changed);

        // Of the same length and at once: the tag must be another one all the same.
        await client.SendAsync(Put(uri, "again", 1, etag)).Gives(CoapCode.PreconditionFailed);
        Assert.Equal("HELLO", await File.ReadAllTextAsync(folder.PathOf("hello.txt")));
        await client.SendAsync(Put($"{folder.Uri}/none.txt", "a", 1, [])).Gives(CoapCode.PreconditionFailed);
        await client.SendAsync(Put($"{folder.Uri}/none.txt", "a", 5, [])).Gives(CoapCode.Created);
        CoapRequest delete = new(CoapMethod.Delete, uri);
        delete.Options.Add(1, etag);
        await client.SendAsync(delete).Gives(CoapCode.PreconditionFailed);
        Assert.True(File.Exists(folder.PathOf("hello.txt")));
    }

    [Fact]
    public async Task The_permissions_of_a_file_are_kept_when_it_is_replaced()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("needs Unix permissions");
            return; // for the analyzer of platforms
        }

        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();
        File.SetUnixFileMode(folder.PathOf("hello.txt"), UnixFileMode.UserRead | UnixFileMode.UserWrite);

        await client.PutAsync($"{folder.Uri}/hello.txt", CoapContent.Text("x")).Gives(CoapCode.Changed);

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

        fits.Gives(CoapCode.Created);
        large.Gives(CoapCode.RequestEntityTooLarge);
        Assert.Equal(before + 1, Directory.GetFileSystemEntries(folder.Root).Length);
    }

    [Fact]
    public async Task Folders_can_be_neither_created_nor_written_nor_removed()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        await using CoapClient client = new();

        await client.PutAsync($"{folder.Uri}/none/x", CoapContent.Text("x")).Gives(CoapCode.Conflict);
        await client.PutAsync($"{folder.Uri}/hello.txt/x", CoapContent.Text("x")).Gives(CoapCode.Conflict);
        await client.PutAsync($"{folder.Uri}/sub", CoapContent.Text("x")).Gives(CoapCode.MethodNotAllowed);
        await client.PutAsync(folder.Uri, CoapContent.Text("x")).Gives(CoapCode.MethodNotAllowed);
        await client.DeleteAsync($"{folder.Uri}/sub").Gives(CoapCode.MethodNotAllowed);
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
        result.Error.Mentions($"'{size}' is not a size");
    }

    private static CoapRequest Put(string uri, string text, int option, byte[] value)
    {
        CoapRequest request = new(CoapMethod.Put, uri) { Content = CoapContent.Text(text) };
        request.Options.Add(option, value);
        return request;
    }
}

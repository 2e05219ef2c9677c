using CoAP.NET.Cli.Serving;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Cli.Tests.Serving;

/// <summary>No path leads out of the folder, or to what is hidden in it.</summary>
public sealed class ServeConfinementTests
{
    [Theory]
    [InlineData("..", "secret")]
    [InlineData("sub", "..", "..", "secret")]
    [InlineData("../secret")]
    [InlineData("sub/../../secret")]
    [InlineData("..\\secret")]
    [InlineData("sub\\..\\..\\secret")]
    [InlineData("{secret}")]
    [InlineData("", "{secret}")]
    [InlineData("", "", "secret")]
    [InlineData("link")]
    [InlineData("linked", "secret")]
    [InlineData("inner")]
    [InlineData("hello.txt\0")]
    [InlineData("..\0", "secret")]
    [InlineData(".hidden")]
    [InlineData(".", "hello.txt")]
    [InlineData("sub", ".", "data.json")]
    [InlineData("C:", "secret")]
    [InlineData("\u001b[2J")]
    public async Task A_path_outside_the_folder_is_answered_4_04_and_changes_nothing(params string[] segments)
    {
        await using ServedFolder folder = await ServedFolder.StartAsync(
            folder =>
            {
                File.CreateSymbolicLink(folder.PathOf("link"), folder.SecretPath);
                Directory.CreateSymbolicLink(folder.PathOf("linked"), Path.GetDirectoryName(folder.SecretPath)!);
                File.CreateSymbolicLink(folder.PathOf("inner"), folder.PathOf("hello.txt"));
            },
            ["--bind", "coap://127.0.0.1:0", "--write"]);
        string[] before = All(folder);
        await using CoapClient client = new();

        foreach (CoapMethod method in (CoapMethod[])[CoapMethod.Get, CoapMethod.Put, CoapMethod.Delete])
        {
            CoapRequest request = new(method, folder.Uri) { Content = method == CoapMethod.Put ? CoapContent.Text("changed") : null };
            foreach (string segment in segments)
            {
                request.Options.Add(OptionNumber.UriPath,
                    Encoding.UTF8.GetBytes(segment.Replace("{secret}", folder.SecretPath)));
            }

            CoapResponse response = await client.SendAsync(request);

            // To delete what is not there is no error (RFC 7252 section 5.8.4).
            Assert.True(response.Code.Class == 4 || response.Code == CoapCode.Deleted, $"{method}: {response.Code}");
            response.GetText().Omits(ServedFolder.Secret);
        }

        Assert.Equal(before, All(folder));
        Assert.Equal(ServedFolder.Secret, await File.ReadAllTextAsync(folder.SecretPath));
        Assert.Equal("hello", await File.ReadAllTextAsync(folder.PathOf("hello.txt")));
        Assert.Equal(["/", "/hello.txt", "/sub/", "/sub/data.json"], (await client.DiscoverAsync(folder.Uri)).Select(link => link.Target));
        Assert.DoesNotContain('\u001b', (await folder.StopAsync()).Error);
    }

    [Fact]
    public async Task File_names_are_case_sensitive()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync();
        await using CoapClient client = new();

        await client.GetAsync($"{folder.Uri}/HELLO.TXT").Gives(CoapCode.NotFound);
        await client.GetAsync($"{folder.Uri}/Sub/data.json").Gives(CoapCode.NotFound);
    }

    [Fact]
    public void A_shared_folder_may_be_a_symbolic_link()
    {
        string directory = Directory.CreateTempSubdirectory("coap-link-").FullName;
        try
        {
            string real = Directory.CreateDirectory(Path.Combine(directory, "real")).FullName;
            File.WriteAllText(Path.Combine(real, "a"), "");
            string link = Path.Combine(directory, "link");
            Directory.CreateSymbolicLink(link, real);

            ServedFolderPathMapper paths = new(link, hasHidden: false);

            Assert.Equal(new ServedItem(ServedItemKind.File, Path.Combine(real, "a")), paths.Find(["a"]));
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    [Fact]
    public void A_path_that_becomes_a_symbolic_link_after_its_lookup_is_not_opened()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "files are opened relative to their folder only on Linux");
        string directory = Directory.CreateTempSubdirectory("coap-race-").FullName;
        try
        {
            string secret = Path.Combine(directory, "secret");
            Directory.CreateDirectory(secret);
            File.WriteAllText(Path.Combine(secret, "a"), ServedFolder.Secret);
            ServedFolderPathMapper paths = new(Directory.CreateDirectory(Path.Combine(directory, "shared")).FullName, hasHidden: false);
            string folder = Directory.CreateDirectory(Path.Combine(paths.Root, "folder")).FullName;
            string file = Path.Combine(folder, "a");
            File.WriteAllText(file, "hello");
            ServedItem found = paths.Find(["folder", "a"]);
            using (FileStream? open = ConfinedFiles.TryOpenFile(found.FullPath))
            {
                Assert.Equal(5, open!.Length);
            }

            using SafeFileHandle held = ConfinedFiles.TryOpenFolder(folder)!;
            Directory.Move(folder, folder + "-before");
            Directory.CreateSymbolicLink(folder, secret);

            Assert.Null(ConfinedFiles.TryOpenFile(found.FullPath));
            Assert.Null(ConfinedFiles.TryOpenFolder(folder));
            Assert.Equal("hello", File.ReadAllText(ConfinedFiles.EntryOf(held, file)));

            Directory.Delete(folder);
            Directory.CreateDirectory(folder);
            File.CreateSymbolicLink(file, Path.Combine(secret, "a"));
            Assert.Null(ConfinedFiles.TryOpenFile(found.FullPath));
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    [Fact]
    public async Task A_file_that_becomes_a_pipe_after_its_lookup_is_not_opened()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "files are opened relative to their folder only on Linux");
        string directory = Directory.CreateTempSubdirectory("coap-pipe-").FullName;
        try
        {
            string path = Path.Combine(directory, "pipe");
            await SpecialFile.MakePipeAsync(path);

            Assert.Null(ConfinedFiles.TryOpenFile(path));
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    [Fact]
    public async Task A_pipe_in_the_folder_is_neither_shared_nor_replaced_nor_removed()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs pipes with names");
        await using ServedFolder folder = await ServedFolder.StartAsync("--write");
        string pipe = folder.PathOf("pipe");
        await SpecialFile.MakePipeAsync(pipe);
        await using CoapClient client = new();

        await client.GetAsync($"{folder.Uri}/pipe").WaitAsync(FromMinutes(2)).Gives(CoapCode.NotFound);
        await client.PutAsync($"{folder.Uri}/pipe", CoapContent.Text("a file")).Gives(CoapCode.Forbidden);
        await client.DeleteAsync($"{folder.Uri}/pipe").Gives(CoapCode.Forbidden);

        Assert.True(SpecialFile.Is(pipe));
        (await client.GetAsync($"{folder.Uri}/")).GetText().Omits("pipe");
    }

    private static string[] All(ServedFolder folder) =>
        [.. Directory.GetFileSystemEntries(Path.GetDirectoryName(folder.Root)!, "*", SearchOption.TopDirectoryOnly)
            .Concat(Directory.GetFileSystemEntries(folder.Root)).Concat(Directory.GetFileSystemEntries(folder.PathOf("sub")))
            .Order(StringComparer.Ordinal)];
}

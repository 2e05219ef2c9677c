namespace CoAP.NET.Dtls.Tests.Options;

/// <summary>Only the owner can read files with secrets, and a symbolic link cannot redirect a write.</summary>
public sealed class PrivateFileTests : IDisposable
{
    private const UnixFileMode ForAll = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
    private const UnixFileMode ForOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly TemporaryFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_key_log_is_accessible_by_its_owner_only_and_is_appended_to(bool isThere)
    {
        string path = _files.Name("keys");
        if (isThere)
        {
            File.WriteAllText(path, "before\n");
            SetForAll(path);
        }

        KeyLogFile log = new(path);
        log.Write("one");
        log.Write("two");

        Assert.Equal(isThere ? "before\none\ntwo\n" : "one\ntwo\n", File.ReadAllText(path));
        AssertForOwner(path);
    }

    [Fact]
    public void A_key_log_whose_path_is_a_symbolic_link_is_refused()
    {
        Assert.SkipUnless(TryLink(out string path, out string aim), "needs symbolic links");
        CoapDtlsException refused = Assert.Throws<CoapDtlsException>(() => new KeyLogFile(path));

        Assert.Contains("is a link", refused.Message, Ordinal);
        Assert.Equal("precious", File.ReadAllText(aim));
    }

    [Fact]
    public void A_symbolic_link_that_replaces_a_key_log_later_gets_no_secret()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs symbolic links");
        string aim = _files.Name("aim");
        string path = _files.Name("keys");
        KeyLogFile log = new(path);
        File.Delete(path);
        File.CreateSymbolicLink(path, aim);

        log.Write("secret");

        Assert.False(File.Exists(aim));
    }

    [Fact]
    public void An_atomically_written_file_replaces_the_existing_file_and_is_accessible_by_its_owner_only()
    {
        string path = _files.Name("sessions");
        File.WriteAllText(path, "before");
        SetForAll(path);

        PrivateFile.Write(path, [1, 2, 3]);

        Assert.Equal([1, 2, 3], File.ReadAllBytes(path));
        AssertForOwner(path);
        Assert.Single(Directory.GetFiles(Path.GetDirectoryName(path)!, Path.GetFileName(path) + "*"));
    }

    [Fact]
    public void An_atomically_written_file_replaces_a_symbolic_link_and_does_not_follow_it()
    {
        Assert.SkipUnless(TryLink(out string path, out string aim), "needs symbolic links");
        PrivateFile.Write(path, [1, 2, 3]);

        Assert.Equal("precious", File.ReadAllText(aim));
        Assert.Null(new FileInfo(path).LinkTarget);
        AssertForOwner(path);
    }

    [Fact]
    public void A_session_file_that_is_a_symbolic_link_is_not_loaded()
    {
        Assert.SkipUnless(TryLink(out string path, out string aim), "needs symbolic links");
        Assert.Throws<IOException>(() => CoapDtlsServerSessionFile.Take(path));

        Assert.Equal("precious", File.ReadAllText(aim));
        Assert.False(File.Exists(path));
    }

    [Fact]
    public async Task A_pipe_or_device_in_place_of_a_file_with_secrets_is_not_replaced()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs pipes with names");
        string path = _files.Name("pipe");
        await SpecialFile.MakePipeAsync(path);
        SetForAll(path);

        Assert.Throws<IOException>(() => CoapDtlsServerSessionFile.Take(path));
        Assert.Throws<IOException>(() => PrivateFile.Write(path, [1, 2, 3]));
        Assert.Throws<CoapDtlsException>(() => new KeyLogFile(path));

        Assert.True(SpecialFile.Is(path));
        AssertForAll(path);
    }

    [Fact]
    public async Task A_key_log_file_with_a_second_hard_link_is_refused()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs the number of names of a file");
        (string path, string aim) = (_files.Name("keys"), _files.Name("aim"));
        await File.WriteAllTextAsync(aim, "precious");
        SetForAll(aim);
        await SpecialFile.MakeHardLinkAsync(aim, path);

        CoapDtlsException refused = Assert.Throws<CoapDtlsException>(() => new KeyLogFile(path));

        Assert.Contains("second name", refused.Message, Ordinal);
        Assert.Equal("precious", await File.ReadAllTextAsync(aim));
        AssertForAll(aim);
    }

    // Making links needs rights on Windows.
    private bool TryLink(out string path, out string aim)
    {
        (path, aim) = (_files.Name("link"), _files.Name("aim"));
        File.WriteAllText(aim, "precious");
        if (!OperatingSystem.IsWindows())
        {
            File.CreateSymbolicLink(path, aim);
        }

        return !OperatingSystem.IsWindows();
    }

    private static void SetForAll(string path)
    {
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, ForAll);
        }
    }

    private static void AssertForAll(string path)
    {
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(ForAll, File.GetUnixFileMode(path));
        }
    }

    private static void AssertForOwner(string path)
    {
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(ForOwner, File.GetUnixFileMode(path));
        }
    }
}

using CoAP.NET.Files;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Execution.Files;

/// <summary>Reads files that operators name; a pipe or device in their place neither blocks nor uses memory without a bound.</summary>
public sealed class RegularFileTests : FolderTest
{
    public static TheoryData<string> Special => [.. SpecialFile.Kinds];

    private string Path1 => Path.Combine(Folder, "file");

    [Theory]
    [MemberData(nameof(Special))]
    public void Anything_but_a_regular_file_is_an_error_at_once_whose_message_has_no_path(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs pipes with names");
        SpecialFile.Put(Path1, kind);

        Exception[] errors = [
            Assert.Throws<NotRegularFileException>(() => RegularFile.ReadBytes(Path1, 100)),
            Assert.Throws<NotRegularFileException>(() => RegularFile.ReadText(Path1)),
            Assert.Throws<NotRegularFileException>(() => RegularFile.ReadStart(Path1, new byte[100])),
            Assert.Throws<NotRegularFileException>(() => RegularFile.Open(Path1).Dispose())];
        Assert.All(errors, error => error.Message.Omits(Folder));
        Assert.Equal(new FileStamp(default, -2), FileStamp.Of(Path1));
    }

    [Fact]
    public void A_link_to_a_regular_file_is_read()
    {
        File.WriteAllText(Path.Combine(Folder, "target"), "text");
        File.CreateSymbolicLink(Path1, "target");
        Assert.Equal("text", RegularFile.ReadText(Path1));
        Assert.Equal(4, FileStamp.Of(Path1).Length);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(4095)]
    [InlineData(4096)]
    [InlineData(4097)]
    [InlineData(100_000)]
    public void A_file_is_read_up_to_the_limit_and_refused_above_it(int length)
    {
        byte[] content = [.. Enumerable.Range(0, length).Select(static i => (byte)i)];
        File.WriteAllBytes(Path1, content);
        Assert.Equal(content, RegularFile.ReadBytes(Path1, Math.Max(1, length)));
        byte[] start = new byte[10];
        Assert.Equal(Math.Min(10, length), RegularFile.ReadStart(Path1, start));
        Assert.Equal(content.Take(10), start.Take(Math.Min(10, length)));
        if (length > 0)
        {
            Assert.Throws<IOException>(() => RegularFile.ReadBytes(Path1, length - 1)).Message.Omits(Folder);
        }
    }

    [Fact]
    public void A_file_that_reports_no_length_is_read_to_its_end_and_bounded()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /proc");
        Assert.Equal(File.ReadAllText("/proc/self/maps").Split('\n')[0], RegularFile.ReadText("/proc/self/maps").Split('\n')[0]);
        Assert.Throws<IOException>(() => RegularFile.ReadBytes("/proc/self/maps", 100));
    }

    [Fact]
    public void A_missing_file_is_an_error_and_a_state_of_its_own()
    {
        Assert.Throws<FileNotFoundException>(() => RegularFile.ReadBytes(Path1, 100)).Message.Omits(Folder);
        Assert.Throws<FileNotFoundException>(() => RegularFile.ReadBytes(Path.Combine(Path1, "below"), 100));
        Assert.Equal(new FileStamp(default, -1), FileStamp.Of(Path1));
    }

    [Theory]
    [InlineData(23, true)]
    [InlineData(24, true)]
    [InlineData(12, false)]
    public void A_file_that_is_not_opened_for_want_of_a_descriptor_is_a_shortage(int error, bool isShortage)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has other numbers");
        Assert.Equal(isShortage, DescriptorShortage.IsCauseOf(NonBlockingFile.ToException(error)));
    }

    [Fact]
    public void An_error_of_the_system_has_its_number_and_no_path()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs the error numbers of Linux");
        const int TooManyLinks = 40;
        File.CreateSymbolicLink(Path1, Path1);

        IOException error = Assert.Throws<IOException>(() => RegularFile.ReadBytes(Path1, 100));
        Assert.Equal(TooManyLinks, error.HResult);
        error.Message.Omits(Folder);
    }

    [Fact]
    public void The_encoding_of_a_text_is_that_of_its_first_bytes()
    {
        foreach (Encoding encoding in (Encoding[])[new UTF8Encoding(false), Encoding.UTF8, Encoding.Unicode])
        {
            File.WriteAllText(Path1, "téxt", encoding);
            Assert.Equal("téxt", RegularFile.ReadText(Path1));
        }
    }
}

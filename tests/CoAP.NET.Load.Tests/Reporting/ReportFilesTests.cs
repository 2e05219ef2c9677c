using System.CommandLine;
using CoAP.NET.Load.CommandLine;
using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Tests.Reporting;

/// <summary>Where reports go: what stands there, and what a failure leaves.</summary>
public sealed class ReportFilesTests : FolderTest
{
    private string Target => Path.Combine(Folder, "report.json");

    [Fact]
    public async Task A_pipe_gets_the_report_and_stays_a_pipe()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs pipes with names");
        await SpecialFile.MakePipeAsync(Target);

        Task<byte[]> reading = SpecialFile.ReadPipeAsync(Target);
        Assert.True(await WriteAsync(out _));

        Assert.True(SpecialFile.Is(Target));
        Assert.Single(LoadReport.Parse(Encoding.UTF8.GetString(await reading)).Runs);
    }

    [Fact]
    public async Task A_report_that_cannot_be_written_leaves_the_earlier_one()
    {
        await File.WriteAllTextAsync(Target, "earlier");
        Directory.CreateDirectory(Target + ".part");

        Assert.False(await WriteAsync(out StringWriter error));

        error.ToString().Mentions(Target);
        Assert.Equal("earlier", await File.ReadAllTextAsync(Target));
    }

    [Fact]
    public async Task A_link_of_another_user_in_a_folder_for_all_is_refused()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "needs root, to make links of other users");
        await Tool.RunAsync("/", "chmod", ["1777", Folder]);
        File.CreateSymbolicLink(Target, Path.Combine(Folder, "victim"));
        await SpecialFile.GiveToOtherUserAsync(Target);

        new ReportFiles(Target, null).Fault.Mentions("of another user");
        new ReportFiles(null, Target).Fault.Mentions("of another user");
    }

    private Task<bool> WriteAsync(out StringWriter error)
    {
        error = new StringWriter();
        InvocationConfiguration streams = new() { Output = new StringWriter(), Error = error };
        return new ReportFiles(Target, null).TryWriteAsync(Reports.Of(Reports.Run(1, 10, 1)), streams);
    }
}

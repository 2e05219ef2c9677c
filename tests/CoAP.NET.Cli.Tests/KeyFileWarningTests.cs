namespace CoAP.NET.Cli.Tests;

/// <summary>Files with keys that other users of the machine can read or change are told.</summary>
public sealed class KeyFileWarningTests : FolderTest
{
    [Theory]
    [InlineData("--psk-file")]
    [InlineData("--key")]
    [InlineData("--oscore")]
    public async Task A_key_file_that_others_can_read_or_change_causes_a_warning_with_the_remedy(string option)
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("needs Unix permissions");
            return; // for the analyzer of platforms
        }

        string path = Path.Combine(Folder, "secret");
        File.WriteAllText(path, "me:sesame");
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite);
        CliRun open = await CliHarness.RunAsync("get", "coap://127.0.0.1:1/x", option, path);
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        CliRun closed = await CliHarness.RunAsync("get", "coap://127.0.0.1:1/x", option, path);

        open.HasError("warning:");
        open.Error.ReplaceLineEndings(" ").Mentions("chmod 600");
        open.HasNoError("sesame");
        closed.HasNoError("warning:");
    }
}

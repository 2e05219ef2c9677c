using System.Globalization;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// Two versions of the packages at one store, up and down again: this one, and one with the next format of records. A program of each of
/// them (Projects/Upgrade) continues with what the other one wrote.
/// </summary>
[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed class UpgradeTests(PackedFeed feed) : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-upgrade-").FullName;

    [Fact]
    public async Task A_store_goes_up_and_down_between_versions_and_nothing_is_lost()
    {
        (string current, string next) = await feed.BuildUpgradeAsync();
        string[] programs = [current, next, current, next];
        for (int step = 0; step < programs.Length; step++)
        {
            Assert.Equal(Line(step, 100 * step, step), await RunAsync(programs[step], step));
        }
    }

    [Fact]
    public async Task What_only_the_next_version_wrote_is_not_readable_but_no_number_is_used_twice()
    {
        (string current, string next) = await feed.BuildUpgradeAsync();

        Assert.Equal(Line(0, 0, 0), await RunAsync(next, 0));
        Assert.Equal(Line(1, 100, 0), await RunAsync(current, 1));
        Assert.Equal(Line(2, 200, 2), await RunAsync(next, 2));
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static string Line(int step, int numbers, int entries) => string.Create(
        CultureInfo.InvariantCulture, $"step {step}: {numbers} numbers, {entries} entries, paid in step 0\n");

    private Task<string> RunAsync(string program, int step) => Tool.RunAsync(_folder, program,
        [Path.Combine(_folder, "coap.db"), Path.Combine(_folder, "app.db"), step.ToString(CultureInfo.InvariantCulture)]);
}

using ClusterSample;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// Two versions of the packages at one store, up and down again: this one, and one with the next format of records. A program of each of
/// them (Projects/Upgrade) continues with what the other one wrote.
/// </summary>
[Collection(PackedFeedCollection.Name)]
[External("dotnet", "postgres")]
public sealed class UpgradeTests(PackedFeed feed) : FolderTest
{
    [Fact]
    public async Task A_store_survives_upgrades_and_downgrades_without_loss()
    {
        (string current, string next) = await feed.BuildUpgradeAsync();
        string[] programs = [current, next, current, next];
        for (int step = 0; step < programs.Length; step++)
        {
            Assert.Equal(Line(step, 100 * step, step), await RunAsync(programs[step], step));
        }
    }

    [Fact]
    public async Task Records_in_the_next_format_are_unreadable_after_a_downgrade_but_no_number_is_reused()
    {
        (string current, string next) = await feed.BuildUpgradeAsync();

        Assert.Equal(Line(0, 0, 0), await RunAsync(next, 0));
        Assert.Equal(Line(1, 100, 0), await RunAsync(current, 1));
        Assert.Equal(Line(2, 200, 2), await RunAsync(next, 2));
    }

    [Fact]
    public async Task A_device_keeps_its_session_observations_and_queue_across_an_upgrade()
    {
        (string current, string next) = await feed.BuildUpgradeAsync();
        string store = Path.Combine(Folder, "coap.db");
        await using UpgradeDevice device = new();
        string[] programs = [current, next, current, next];
        for (int step = 0; step < programs.Length; step++)
        {
            using Tool server = Serve(programs[step], store, step);
            await device.UseAsync(server, step);
            await KillAsync(server);
        }

        Assert.Equal(1, device.Sessions);
    }

    [Fact]
    public async Task A_standby_node_of_another_version_takes_over_the_state_of_devices()
    {
        (string current, string next) = await feed.BuildUpgradeAsync();
        await using PostgreSqlProcess database = await PostgreSqlProcess.StartAsync(isDurable: false);
        await using UpgradeDevice device = new();
        string[] programs = [current, next, current, next];
        Tool active = Serve(programs[0], database.ConnectionString, 0);
        try
        {
            for (int step = 0; step < programs.Length; step++)
            {
                await device.UseAsync(active, step);
                Tool standby = Serve(programs[(step + 1) % programs.Length], database.ConnectionString, step + 1);
                await UpgradeDevice.AddressAsync(standby);
                await KillAsync(active);
                active.Dispose();
                active = standby;
            }
        }
        finally
        {
            active.Dispose();
        }

        Assert.Equal(1, device.Sessions);
    }

    private static string Line(int step, int numbers, int entries) => string.Create(
        CultureInfo.InvariantCulture, $"step {step}: {numbers} numbers, {entries} entries, paid in step 0\n");

    private Tool Serve(string program, string store, int step) =>
        Tool.Start(Folder, program, ["serve", store, step.ToString(CultureInfo.InvariantCulture)]);

    private async Task KillAsync(Tool server)
    {
        await Tool.RunAsync(Folder, "kill", ["-KILL", server.Id.ToString(CultureInfo.InvariantCulture)]);
        await server.EndAsync();
    }

    private Task<string> RunAsync(string program, int step) => Tool.RunAsync(Folder, program,
        [Path.Combine(Folder, "coap.db"), Path.Combine(Folder, "app.db"), step.ToString(CultureInfo.InvariantCulture)]);
}

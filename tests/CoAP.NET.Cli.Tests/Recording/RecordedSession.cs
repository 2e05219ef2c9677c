namespace CoAP.NET.Cli.Tests.Recording;

/// <summary>What is recorded for the documentation: somebody shares a folder, somebody else works with it.</summary>
internal static class RecordedSession
{
    public static async Task<string> RunAsync()
    {
        string folder = Directory.CreateTempSubdirectory("coap-record-").FullName;
        using CancellationTokenSource stop = new();
        try
        {
            string firmware = Prepare(folder);
            // Time stands still but where something waits for it: a busy machine has neither copies nor separate responses shown.
            VirtualClock clock = new();
            WatchedStream serving = new();
            Task<int> server = CoapTool.RunAsync(["serve", folder, "--write", "--bind", "coap://127.0.0.1:0"],
                Recorder.ContextOf(serving, clock, stop.Token));
            await serving.WhenAsync("Ctrl-C to stop");
            string uri = Encoding.UTF8.GetString(serving.ToArray()).Split('\n')[0];
            Recorder recorder = new(new Normalizer(uri, folder), clock);
            await RecordAsync(recorder, uri, folder, firmware);
            await stop.CancelAsync();
            await clock.AdvanceUntilAsync(server, FromMinutes(10));
            recorder.Say("And what the other terminal showed meanwhile:");
            recorder.Keep("coap serve data --write --bind coap://127.0.0.1", serving);
            return recorder.ToString();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Prepare(string folder)
    {
        File.WriteAllText(Path.Combine(folder, "temperature.txt"), "21.5");
        Directory.CreateDirectory(Path.Combine(folder, "config"));
        File.WriteAllText(Path.Combine(folder, "config", "limits.json"), """{"max":30,"min":5.0}""");

        // Hidden, so that it is not shared.
        string firmware = Path.Combine(folder, ".firmware.bin");
        File.WriteAllBytes(firmware, new byte[40_000]);
        return firmware;
    }

    private static async Task RecordAsync(Recorder recorder, string uri, string folder, string firmware)
    {
        recorder.Say("`docs/record-cli.sh` records these sessions. `coap serve data --write --bind coap://127.0.0.1` runs in another "
            + "terminal.\n"
            + "Fixed values replace ports, times, Message IDs, tokens and entity-tags.");
        await recorder.RunAsync("coap discover coap://127.0.0.1", "discover", uri);
        await recorder.RunAsync("coap get -v coap://127.0.0.1/config/limits.json --pretty", "get", "-v", $"{uri}/config/limits.json",
            "--pretty");
        await recorder.RunAsync("coap observe coap://127.0.0.1/temperature.txt --count 2 --pretty",
            ["observe", $"{uri}/temperature.txt", "--count", "2", "--pretty"], async seen =>
            {
                await seen.WhenAsync("21.5");

                // By renaming, so that no half of it is told.
                string next = Path.Combine(folder, ".next");
                await File.WriteAllTextAsync(next, "22.0");
                File.Move(next, Path.Combine(folder, "temperature.txt"), overwrite: true);
            });
        await recorder.RunOnTerminalAsync("coap put --file firmware.bin coap://127.0.0.1/firmware.bin", "put", "--file", firmware,
            $"{uri}/firmware.bin", "--color", "never");
        await recorder.RunAsync("coap get coap://127.0.0.1/nowhere", "get", $"{uri}/nowhere");
        recorder.Say("Bytes are explained wherever they come from, and so are mistakes in them:");
        await recorder.RunAsync("coap decode 44 01 30 39 de ad be ef b4 74 65 6d 70 61 28", "decode",
            "44 01 30 39 de ad be ef b4 74 65 6d 70 61 28");
        await recorder.RunAsync("coap decode 6845 1a2b 0102030405060708 c1 32 ff 7b2274223a32312e357d", "decode",
            "6845 1a2b 0102030405060708 c1 32 ff 7b2274223a32312e357d");
        await recorder.RunAsync("coap decode 40 01 30 39 b4 74 65", "decode", "40 01 30 39 b4 74 65");
    }
}

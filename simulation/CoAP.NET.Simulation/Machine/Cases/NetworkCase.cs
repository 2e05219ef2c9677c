namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>A fault of the network: everything happens in networks that only this process has.</summary>
internal abstract class NetworkCase(string name, string fault, string did) : MachineCase(name, fault, did)
{
    protected static readonly TimeSpan Limit = TimeSpan.FromSeconds(15);

    public override string Shell => "exec unshare -rn \"$@\"";

    // So that all threads of the pool are made before there is a second network.
    public override IReadOnlyDictionary<string, string?> Variables => PoolThreads.Variables;

    /// <summary>Makes a client whose socket is in a network.</summary>
    /// <param name="space">The network.</param>
    /// <param name="warmUri">What it asks first, so that its socket is there.</param>
    /// <param name="isPortable">Which engine.</param>
    /// <returns>The client and its log.</returns>
    protected static CoapClient ClientIn(NetworkSpace space, string warmUri, bool isPortable = false)
    {
        CoapClient client = new(MachineServer.Options(new LogCounts(), isPortable));
        space.Wait(() => client.GetAsync(warmUri));
        return client;
    }

    /// <summary>Asks, and says what came of it.</summary>
    /// <returns>The answer's text, or the type of the exception.</returns>
    protected static async Task<string> AskAsync(CoapClient client, string uri)
    {
        try
        {
            return (await client.GetAsync(uri).WaitAsync(Limit)).GetText();
        }
        catch (Exception exception) when (exception is CoapException or TimeoutException)
        {
            return exception.GetType().Name + ": " + exception.Message;
        }
    }

    /// <summary>Waits until something is so.</summary>
    /// <returns>Whether it became so in time.</returns>
    protected static async Task<bool> BecomesAsync(Func<bool> condition)
    {
        Watch from = new();
        while (!condition() && from.Elapsed < Limit)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(10), TimeProvider.System);
        }

        return condition();
    }
}

namespace CoAP.NET.Orleans.Tests.Guides;

/// <summary>The snippet of docs/devices.md.</summary>
public sealed class MeterGrain(ICoapDevices devices) : Grain, IMeterGrain
{
    public async Task<string> ReadAsync() =>
        (await devices[this.GetPrimaryKeyString()].GetAsync("/3303/0/5700")).EnsureSuccess().GetText();
}

/// <summary>A grain of an application with the name of a device as its key.</summary>
public interface IMeterGrain : IGrainWithStringKey
{
    Task<string> ReadAsync();
}

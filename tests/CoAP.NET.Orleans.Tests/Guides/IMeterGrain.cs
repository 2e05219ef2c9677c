namespace CoAP.NET.Orleans.Tests.Guides;

/// <summary>A grain of an application with the name of a device as its key.</summary>
public interface IMeterGrain : IGrainWithStringKey
{
    Task<string> ReadAsync();
}

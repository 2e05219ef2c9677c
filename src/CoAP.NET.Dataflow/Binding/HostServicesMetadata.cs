namespace CoAP.NET.Binding;

/// <summary>Metadata of the routes of a hosted server: the container, whose options hold for its handlers.</summary>
internal sealed record HostServicesMetadata(IServiceProvider Provider);

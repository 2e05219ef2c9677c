namespace CoAP.NET.Hosting.Server;

/// <summary>
/// A service that tells the parts of an application that it runs in a test (<c>CoapApplicationFactory</c>). Parts with state outside of the
/// process keep it in memory instead: a cluster does not open its file or database.
/// </summary>
internal sealed class CoapTestHostMarker;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Says of an endpoint of this package that it is for HTTP only.</summary>
/// <param name="Reason">Why, and what to do.</param>
internal sealed record HttpOnlyMark(string Reason);

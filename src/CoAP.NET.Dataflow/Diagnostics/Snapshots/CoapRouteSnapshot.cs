namespace CoAP.NET;

/// <summary>A route with observers in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="Template">The template, such as <c>/devices/{id}</c>.</param>
/// <param name="Observers">The number of observers of all its paths.</param>
public sealed record CoapRouteSnapshot(string Template, int Observers);

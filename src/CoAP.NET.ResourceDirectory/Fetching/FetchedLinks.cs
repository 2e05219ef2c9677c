namespace CoAP.NET.ResourceDirectory;

/// <summary>What a registrant has at <c>/.well-known/core</c>, or why that is not known.</summary>
/// <param name="Links">The links; null when there are none that can be registered.</param>
/// <param name="Refusal">Why not; null when there are.</param>
/// <param name="MaxAge">For how long they are fresh.</param>
internal sealed record FetchedLinks(RegistrationLinks? Links, DirectoryRefusal? Refusal, TimeSpan MaxAge);

using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Fetching;

/// <summary>The links at <c>/.well-known/core</c> of a registrant, or the reason why they are unknown.</summary>
/// <param name="Links">The links; null if there are none to register.</param>
/// <param name="Refusal">The refusal; null with links.</param>
/// <param name="MaxAge">The time for which they are fresh.</param>
internal sealed record LinkFetchResult(RegistrationLinks? Links, DirectoryRefusal? Refusal, TimeSpan MaxAge);

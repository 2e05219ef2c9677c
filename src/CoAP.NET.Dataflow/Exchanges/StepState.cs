namespace CoAP.NET.Exchanges;

/// <summary>The state that a step keeps with a request until its response arrives.</summary>
internal abstract class StepState;

namespace CoAP.NET.Exchanges;

/// <summary>What a step keeps with a request until its response arrives.</summary>
internal abstract class StepState;
